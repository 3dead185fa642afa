"""Compare ways of ranking tools by a query: how often the right one is found, and how fast.

    python benchmarks/search.py FOLDER

FOLDER has `nextcloud-mcp-server`, as `real.py` installs it below `.bench/servers`; its tools are
read from its source, those of git from `git help -a`. `search.json` has queries that somebody may
type, each with the tools that answer it; the queries were written from the names alone, before any
ranking was tried. Contestants that are not installed are left out.
"""

import ast
import json
import math
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean

from toolwright.serve.search_index import IndexedTool, ToolIndex, words

LABELLED = json.loads((Path(__file__).parent / "search.json").read_text())


def nextcloud(folder):
    for file in sorted((folder / "nextcloud-mcp-server/nextcloud_mcp_server").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                ".tool" in ast.unparse(each) for each in node.decorator_list
            ):
                parameters = " ".join(each.arg for each in node.args.args)
                summary, _, details = (ast.get_docstring(node) or "").partition("\n")
                yield IndexedTool(node.name, summary, details, parameters)


def git(_folder):
    said = subprocess.check_output(["git", "help", "-a"], text=True)
    for name, text in re.findall(r"^   ([a-z][\w-]*) +(.+)$", said, re.MULTILINE):
        yield IndexedTool(name, text, "", "")


def ours(tools):
    index = ToolIndex(tools)
    return lambda query: list(index.ranked(query))


def documents(tools):
    weighted = ((*[each.name] * 3, *[each.summary] * 2, *each[2:]) for each in tools)
    return [words(" ".join(each)) for each in weighted]


def rank_bm25(tools):
    from rank_bm25 import BM25Okapi

    made = BM25Okapi(documents(tools))

    def ranked(query):
        scores = made.get_scores(words(query))
        return [tools[at].name for at in sorted(range(len(tools)), key=lambda at: -scores[at])]

    return ranked


def bm25s(tools):
    import bm25s as library
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    texts = [" ".join(each) for each in documents(tools)]
    quiet = {"show_progress": False, "stemmer": stemmer, "stopwords": "en"}
    made = library.BM25()
    made.index(library.tokenize(texts, **quiet), show_progress=False)

    def ranked(query):
        asked = library.tokenize(" ".join(words(query)), **quiet)
        found, _ = made.retrieve(asked, k=len(tools), show_progress=False)
        return [tools[at].name for at in found[0]]

    return ranked


def rapidfuzz(tools):
    from rapidfuzz import fuzz, process

    texts = [" ".join((tool.name.replace("_", " "), tool.summary)).casefold() for tool in tools]

    def ranked(query):
        asked = " ".join(words(query))
        found = process.extract(asked, texts, scorer=fuzz.token_set_ratio, limit=None)
        return [tools[at].name for _, _, at in found]

    return ranked


def lunr(tools):
    from lunr import lunr as build

    made = build(
        ref="name",
        fields=[{"field_name": "words", "boost": 4}, "summary", "details", "parameters"],
        documents=[{**tool._asdict(), "words": " ".join(words(tool.name))} for tool in tools],
    )
    return lambda query: [each["ref"] for each in made.search(" ".join(words(query)))]


def measured(make, tools, queries):
    spent = time.process_time()
    ranked = make(tools)
    build = time.process_time() - spent
    places = []
    spent = time.process_time()
    for query, right in queries.items():
        found = ranked(query)
        places.append(min((found.index(each) for each in right if each in found), default=math.inf))
    each = (time.process_time() - spent) / len(queries)
    return {
        "first": mean(place == 0 for place in places),
        "in five": mean(place < 5 for place in places),
        "mrr": mean(1 / (place + 1) for place in places),
        "build ms": build * 1e3,
        "query us": each * 1e6,
    }


def main():
    folder = Path(sys.argv[1])
    for corpus in (nextcloud, git):
        tools = list(corpus(folder))
        queries = LABELLED[corpus.__name__]
        known = {tool.name for tool in tools}
        queries = {query: right for query, right in queries.items() if known & set(right)}
        print(f"{corpus.__name__}: {len(tools)} tools, {len(queries)} queries")
        for make in (ours, rank_bm25, bm25s, lunr, rapidfuzz):
            try:
                figures = measured(make, tools, queries)
            except ImportError as error:
                print(f"  {make.__name__:10} {error}")
                continue
            written = "  ".join(f"{key} {value:.2f}" for key, value in figures.items())
            print(f"  {make.__name__:10} {written}")


if __name__ == "__main__":
    main()
