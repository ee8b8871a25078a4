// Makes one file of the viewer: `node build.mjs OUT.html`. Scripts and styles go inside; nothing is loaded later.
// Beside it OUT.licences.txt, the licences of what went inside.
import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUT.html");

const bundle = async (entry, loader) => {
  const result = await build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, format: "iife",
    target: "es2020", legalComments: "inline", loader,
  });
  return result.outputFiles[0].text;
};

const page = await readFile(join(here, "src", "index.html"), "utf8");
const script = (await bundle("main.js")).replaceAll("</script", "<\\/script");
const style = await bundle("style.css");
const whole = page.replace("<!--style-->", () => `<style nonce="@nonce@">${style}</style>`)
  .replace("<!--script-->", () => `<script nonce="@nonce@">${script}</script>`);
await mkdir(dirname(output), { recursive: true });
await writeFile(output + ".tmp", whole);
await rename(output + ".tmp", output);

const { dependencies } = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
let licences = "The viewer of `clearance export` holds the following.\n";
for (const name of Object.keys(dependencies).sort()) {
  const folder = join(here, "node_modules", name);
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  licences += `\n${name} ${version}\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}\n`;
}
await writeFile(output.replace(/\.html$/, "") + ".licences.txt", licences);
