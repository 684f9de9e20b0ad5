(() => {
  const pause = 700;
  let shown = number;
  const state = document.querySelector(".subtitle");
  async function ask() {
    let answer;
    try {
      answer = await fetch("film.json?since=" + shown, { cache: "no-store" });
    } catch {
      if (state) state.textContent = "the command has ended; this is what it had shown";
      return;
    }
    if (answer.status === 200) {
      const news = await answer.json();
      if (news.over || number === 0) {
        location.reload();
        return;
      }
      const player = window.holonomyPlayer;
      if (player) {
        player.setFilm(news.film);
        shown = news.number;
      }
    }
    setTimeout(ask, pause);
  }
  setTimeout(ask, pause);
})();
