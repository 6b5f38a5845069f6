import { useEffect } from 'react';

/** Long enough for what closes to be gone from the page; shorter than anybody presses the next key. */
const settleMs = 30;

/** What had the focus last, outside of menus: an item goes with its menu, perhaps before a dialog is there. */
let last: HTMLElement | null = null;
document.addEventListener('focusin', (event) => {
  last = openerOf(event.target as Element) ?? last;
});

/** Puts the focus back where it was before something opened, once that is closed or taken away. */
export function useReturnedFocus(opened: boolean) {
  useEffect(() => {
    if (!opened) return;
    const opener = openerOf(document.activeElement) ?? last;
    return () => {
      const atClose = document.activeElement;
      setTimeout(() => {
        // Whoever has moved on meanwhile is not called back.
        const now = document.activeElement;
        if (now && now !== document.body && now !== atClose) return;
        const target = opener?.isConnected ? opener : document.getElementById('main');
        target?.focus({ preventScroll: true });
      }, settleMs);
    };
  }, [opened]);
}

/** The item of a menu goes with its menu: what opened the menu stays. */
function openerOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role="menu"]');
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
  return opener instanceof HTMLElement && opener !== document.body ? opener : null;
}
