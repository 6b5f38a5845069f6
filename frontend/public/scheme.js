// Runs before anything is drawn, so that a dark page does not begin with a white flash.
const kept = localStorage.getItem('mantine-color-scheme-value');
const dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
