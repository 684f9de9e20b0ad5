(async () => {
  const packed = Uint8Array.from(atob(document.getElementById("player-code").textContent), (c) => c.charCodeAt(0));
  const code = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.src = URL.createObjectURL(new Blob([await new Response(code).arrayBuffer()], { type: "text/javascript" }));
  document.head.append(script);
})();
