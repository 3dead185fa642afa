"""One rule for what is a secret in a command line."""

import pytest

from tests.counting import for_every
from toolwright.sources.secret_names import has_secrets, is_secret_name, without_secrets

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
SECRETS = {
    ("srv", "--access-token", "sbp_0102"): ["srv", "--access-token", "***"],
    ("srv", "--password", "hunter2hunter2"): ["srv", "--password", "***"],
    ("srv", "--password", "x"): ["srv", "--password", "***"],
    ("srv", "--token=abcdef", "a"): ["srv", "--token=***", "a"],
    ("srv", "--accessToken", "ab", "c"): ["srv", "--accessToken", "***", "c"],
    ("srv", "-token", "ab"): ["srv", "-token", "***"],
    ("srv", "--api-key", "a b", "-v"): ["srv", "--api-key", "***", "-v"],
    ("srv", "--token=a&b;c,d e"): ["srv", "--token=***"],
    ("srv", "--github-token2", "ab"): ["srv", "--github-token2", "***"],
    ("env", "TOKEN=x", "cmd"): ["env", "TOKEN=***", "cmd"],
    ("env", "PGPASSWORD=a=b", "cmd"): ["env", "PGPASSWORD=***", "cmd"],
    ("docker", "-e", "API_KEY=abc"): ["docker", "-e", "API_KEY=***"],
    ("docker", "--env=API_KEY=abc"): ["docker", "--env=API_KEY=***"],
    ("c", "--header", "Authorization: Bearer x"): ["c", "--header", "Authorization: Bearer ***"],
    ("c", "--header=Authorization: Bearer x"): ["c", "--header=Authorization: Bearer ***"],
    ("c", "-H", "X-Api-Key: a b"): ["c", "-H", "X-Api-Key: ***"],
    ("c", "-H", "Cookie: a=b; c=d"): ["c", "-H", "Cookie: ***"],
    ("c", "-H", "Authorization:x"): ["c", "-H", "Authorization:***"],
    ("c", "Bearer", "abcdefgh"): ["c", "Bearer", "***"],
    ("c", "send Bearer abcdefgh1"): ["c", "send Bearer ***"],
    ("postgres://ada:p@ss@db/shop",): ["postgres://ada:***@db/shop"],
    ("sh", "-c", "cd /x; TOKEN=ab srv"): ["sh", "-c", "cd /x; TOKEN=*** srv"],
    ("redis://:pw@db",): ["redis://:***@db"],
    ("https://abcdefghij0123456789@git.example/x",): ["https://***@git.example/x"],
    ("https://a.example/mcp?n=1&api_key=ab&m=2",): ["https://a.example/mcp?n=1&api_key=***&m=2"],
    ("https://a.example/mcp?key=ab",): ["https://a.example/mcp?key=***"],
    ("https://a.example/#access_token=ab",): ["https://a.example/#access_token=***"],
    ("Server=db;Password=ab;Port=1",): ["Server=db;Password=***;Port=1"],
    ('{"token": "a b", "n": 1}',): ['{"token": "***", "n": 1}'],
    ("srv", "sk-proj-abcdefghijklmnop1234"): ["srv", "***"],
    ("srv", "x", JWT): ["srv", "x", "***"],
    ("srv", "--to", "ghp_abcdefghijklmnopqrstuvwx"): ["srv", "--to", "***"],
    ("srv", "sbp_0102030405060708090a0b0c0d0e0f1011121314"): ["srv", "***"],
    ("srv", "glpat-abcdefghij0123456789"): ["srv", "***"],
    ("srv", "AIza" + "a1" * 17 + "b"): ["srv", "***"],
    ("srv", "hf_" + "aB3" * 11): ["srv", "***"],
    ("srv", "npm_" + "a1B" * 12): ["srv", "***"],
    ("srv", "--key", "hunter2hunter2"): ["srv", "--key", "***"],
    ("srv", "--auth=hunter2hunter2"): ["srv", "--auth=***"],
    ("srv", "--pass", "hunter2hunter2", "x"): ["srv", "--pass", "***", "x"],
    ("srv", "--pw", "hunter2hunter2"): ["srv", "--pw", "***"],
    ("srv", "--pat", "ab1cd2ef3gh4"): ["srv", "--pat", "***"],
    ("srv", "--credentials", "hunter2hunter2"): ["srv", "--credentials", "***"],
    ("srv", "--tokens=hunter2hunter2"): ["srv", "--tokens=***"],
    ("curl", "-u", "ada:hunter2hunter2"): ["curl", "-u", "***"],
    ("srv", "--password", "--hunter2hunter2"): ["srv", "--password", "***"],
    ("sh", "-c", "srv --token ab --x 1"): ["sh", "-c", "srv --token '***' --x 1"],
    ("sh", "-c", "TOKEN=ab srv"): ["sh", "-c", "TOKEN=***"],
}
HARMLESS = [
    *("--token-budget 500", "--max-tokens 5", "--max-tokens=50000", "--tokenizer x"),
    *("--tokenizer=bert-base-uncased", "--key-file path", "--password-file p", "--token-count 5"),
    *("--key name", "--public-key abc", "--api-key-file /x", "--secret-name db", "--keyboard us"),
    *("--token ${TOKEN}", "--token $TOKEN", "--token=${env:TOKEN}", "--token <token>"),
    *("--token /run/secrets/token", "--token ./token", "--token ~/token", "--no-password x"),
    *("TOKEN=${TOKEN} srv", "--passive yes", "--password-stdin x", "--secret-store vault"),
    *("https://a.example:8000/mcp", "https://ada@a.example/x", "ssh://git@host/x", "a@b.c"),
    *("https://a.example/mcp?monkey=1&keys=2", "12:30:45", "user:group", "C:\\tools\\x.exe"),
    *("--compass north", "--show-token -v", "--token --verbose", "--use-token yes", "-t 5"),
    *("--author ada", "--authors=a,b", "--basic", "--model sk-learn-pipelineclassifierxx"),
    *("npx -y @modelcontextprotocol/server-memory", "python -m srv --port 8000", "--pat x"),
    *("--key primary-key", "--key /etc/ssl/private1/key.pem", "--auth basic", "-u 1000:1000"),
    *("--user postgres", "--pass 2", "--key ${KEY}", "--tokens=200000000000", "--pat /a/b1c2/d3e4"),
    *("--key my-server-name-v2", "--token --use-ipv6-only", "--public-key ab1cd2ef3gh4ij5"),
    *("--context-window 200000", "--oauth-scope read", "--token-type bearer", "--cookie-file x"),
    *("hf_hub_download", "npm_config_cache=/x", "--secretary ada", "--description=x"),
]


@for_every("words", [(words,) for words in SECRETS])
def test_what_is_a_secret_is_hidden_and_nothing_else(words):
    assert without_secrets(words) == SECRETS[words]
    assert has_secrets(words)


@for_every("line", HARMLESS)
def test_ordinary_words_are_no_secrets(line):
    words = line.split(" ")
    assert without_secrets(words) == words


def test_a_sentence_is_no_secret():
    for text in ("basic knowledge of x", "the bearer of news", "a token of love", "is: -x or y"):
        assert not has_secrets(["srv", "--about", text])


def test_what_an_option_takes():
    for name in ("password", "token", "api_key", "client-secret", "authToken", "dbPassword"):
        assert is_secret_name(name)
    for name in ("token_budget", "max_tokens", "tokenizer", "key", "key_file", "token_ttl", ""):
        assert not is_secret_name(name)


@pytest.mark.parametrize("part", ["a-", "token=", '"token": "', "://", "Bearer ", "a=b&", "-x "])
def test_long_words_take_linear_time(part):
    assert without_secrets([part * 200_000])
