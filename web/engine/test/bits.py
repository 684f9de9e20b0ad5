"""Hashes of all scenarios by all methods in Chromium, one a line: bits.py CHROMIUM FILE.wasm|PAGE.html STEPS WORK"""

import base64
import lzma
import re
import shutil
import sys

from playwright.sync_api import sync_playwright

RUN = """async ([module, steps, work]) => {
  const bytes = Uint8Array.from(atob(module), (letter) => letter.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes);
  const { start, bits_count, bits_run } = instance.exports;
  start();
  const hashes = [];
  for (let k = 0; k < bits_count(); k += 1) {
    hashes.push(BigInt.asUintN(64, bits_run(k, steps, work)).toString(16).padStart(16, "0"));
  }
  return hashes;
}"""


def module(path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    if not path.endswith(".html"):
        return data
    packed = re.search(rb'id="engine-wasm">([^<]*)<', data)
    if packed is None or not packed[1].strip():
        sys.exit(f"{path} holds no engine: build it with `cargo xtask web`")
    return lzma.decompress(base64.b64decode(packed[1]), lzma.FORMAT_ALONE)


def main() -> None:
    chromium, path, steps, work = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(chromium), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(0)
        encoded = base64.b64encode(module(path)).decode()
        print("\n".join(page.evaluate(RUN, [encoded, int(steps), float(work)])))
        browser.close()


main()
