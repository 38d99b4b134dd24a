// What a page does beyond links and forms: it keeps itself up to date, says so, and knows a few keys.

(() => {
  const STALE_MS = 10_000; // without a stream, a page is fetched again this often
  const ANNOUNCE_MS = 15_000; // screen readers hear at most one summary in this time
  const REFRESH_MS = 1000;

  const byId = (id) => document.getElementById(id);
  const main = () => byId('main');
  const live = byId('live');

  let state = 'loading'; // loading, live, polling or lost
  let paused = false;
  let refreshedAt = 0;
  let planned = null;

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  function timeText(date) {
    const shown = document.querySelector('input[name=zone]')?.value || zone;
    return new Intl.DateTimeFormat('en-GB', { timeZone: shown, timeStyle: 'medium' }).format(date);
  }

  function show(next) {
    state = next;
    const badge = byId('connection');
    if (badge === null || live === null) return;
    const texts = {
      loading: 'connecting',
      live: 'live',
      polling: 'updated every 10 s',
      lost: `connection lost, as of ${timeText(new Date(main()?.dataset.asOf ?? Date.now()))}`,
    };
    badge.hidden = false;
    badge.dataset.state = paused ? 'paused' : next;
    byId('connection-text').textContent = paused ? 'updates paused' : texts[next];
    document.body.classList.toggle('stale', next === 'lost');
  }

  /** Somebody is choosing something: an update would take it away under the pointer. */
  function isBusy() {
    if (paused || document.hidden) return true;
    if (document.querySelector('main details[open].menu, dialog[open]') !== null) return true;
    return document.activeElement instanceof HTMLSelectElement;
  }

  function refresh() {
    planned = null;
    if (main()?.hasAttribute('hx-get') !== true) return;
    if (isBusy()) return plan(REFRESH_MS);
    refreshedAt = Date.now();
    htmx.trigger(main(), 'refresh');
  }

  function plan(delay) {
    if (planned === null) planned = setTimeout(refresh, delay);
  }

  function changed() {
    plan(Math.max(0, refreshedAt + REFRESH_MS - Date.now()));
  }

  let announcedAt = 0;
  let announced = '';
  function announce() {
    const text = main()?.dataset.summary ?? '';
    if (text === announced || Date.now() - announcedAt < ANNOUNCE_MS) return;
    announced = text;
    announcedAt = Date.now();
    byId('announcer').textContent = text;
  }

  function swapped() {
    const title = main()?.dataset.title;
    if (title) document.title = `${title} · macbatch`;
    showScripted();
    globalThis.macbatchPlots?.draw();
    announce();
  }

  /** Controls that need this script are hidden without it. */
  function showScripted() {
    for (const button of document.querySelectorAll('button.copy[hidden]')) button.hidden = false;
    const pause = byId('pause');
    if (pause !== null && live !== null) pause.hidden = false;
  }

  async function copy(button) {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // On plain HTTP there is no clipboard.
      const field = document.createElement('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
      button.focus();
    }
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  }

  function togglePause() {
    paused = !paused;
    const button = byId('pause');
    button.setAttribute('aria-pressed', String(paused));
    button.textContent = paused ? 'Resume updates' : 'Pause updates';
    show(state);
    if (!paused) changed();
  }

  document.addEventListener('htmx:sse:after:connection', () => {
    show('live');
    changed(); // what was missed meanwhile
  });
  document.addEventListener('htmx:sse:after:message', changed);
  document.addEventListener('htmx:sse:error', () => show(state === 'lost' ? 'lost' : 'polling'));
  document.addEventListener('htmx:after:swap', swapped);
  document.addEventListener('htmx:after:request', (event) => {
    if (event.target === main() && event.detail.ctx.response?.status < 500 && state === 'lost')
      show('polling');
  });
  document.addEventListener('htmx:error', (event) => {
    if (event.target === main() || event.target === live) show('lost');
  });
  document.addEventListener('htmx:response:error', (event) => {
    if (event.target === main() && event.detail.ctx.response?.status >= 500) show('lost');
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) changed();
  });
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button?.classList.contains('copy')) void copy(button);
    if (button?.id === 'pause') togglePause();
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest('input, select, textarea')) return;
    if (event.key === '/') {
      const find = byId('find');
      if (find === null) return;
      find.focus();
      event.preventDefault();
    }
    if (event.key === 'r' && live !== null) togglePause();
    if (event.key === 'j') location.assign('/');
    if (event.key === 'm') location.assign('/macs');
  });
  setInterval(() => {
    if (live !== null && state !== 'live') plan(0);
  }, STALE_MS);

  // The first visit: times are shown in the reader's zone from now on.
  const local = byId('local-zone');
  if (local !== null) local.value = zone;
  if (zone && !/(^|; )zone=/.test(document.cookie)) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain HTTP
    document.cookie = `zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=lax`;
    const field = document.querySelector('input[name=zone]');
    if (field !== null && field.value !== zone) {
      field.value = zone;
      byId('zone-name').textContent = zone;
      if (live !== null) plan(0);
      else location.replace(location.href);
    }
  }
  showScripted();
  globalThis.macbatchPlots?.draw();
  if (live !== null) show('loading');
})();
