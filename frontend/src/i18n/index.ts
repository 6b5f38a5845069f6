/**
 * Text comes from `locales/` only. A language is one lazily loaded file set; keys are checked by the compiler
 * against the English catalogue, and `scripts/check-i18n.mjs` holds both catalogues complete.
 */
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type en from '../locales/en';

export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

const storageKey = 'refdesk-language';
const loaders: Record<Language, () => Promise<{ default: object }>> = {
  en: () => import('../locales/en'),
  zh: () => import('../locales/zh'),
};

function preferred(): Language {
  const kept = localStorage.getItem(storageKey);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.languages.find((tag) => /^(en|zh)/.test(tag))?.startsWith('zh') ? 'zh' : 'en';
}

async function load(language: Language) {
  if (i18next.hasResourceBundle(language, 'translation')) return;
  i18next.addResourceBundle(language, 'translation', (await loaders[language]()).default);
}

export async function startLanguage() {
  const language = preferred();
  await i18next
    .use(initReactI18next)
    .init({ lng: language, resources: {}, interpolation: { escapeValue: false } });
  await speak(language);
}

async function speak(language: Language) {
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}

/** What somebody chose is kept; what the browser asked for is not, so that it may ask for another later. */
export async function changeLanguage(language: Language) {
  await speak(language);
  localStorage.setItem(storageKey, language);
}

export function currentLanguage(): Language {
  return i18next.language === 'zh' ? 'zh' : 'en';
}
