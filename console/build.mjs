// Builds the page into the package, and prints what it weighs.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

const target = new URL("../src/toolwright/console/page/", import.meta.url);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  entryPoints: { console: "src/main.tsx", style: "src/style.css" },
  outdir: target.pathname,
  bundle: true,
  splitting: true,
  chunkNames: "[name]",
  format: "esm",
  minify: true,
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
});
copyFileSync("src/index.html", new URL("index.html", target));

let raw = 0;
let packed = 0;
for (const name of readdirSync(target).sort()) {
  const bytes = readFileSync(new URL(name, target));
  const zipped = gzipSync(bytes, { level: 9 }).length;
  raw += bytes.length;
  packed += zipped;
  console.log(`${name.padEnd(16)} ${String(bytes.length).padStart(8)} ${String(zipped).padStart(8)} gzip`);
}
console.log(`${"together".padEnd(16)} ${String(raw).padStart(8)} ${String(packed).padStart(8)} gzip`);
if (raw > 300_000 || packed > 100_000) {
  console.error("The page may weigh 300,000 bytes, and 100,000 compressed.");
  process.exit(1);
}
