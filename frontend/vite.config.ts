/// <reference types="vitest/config" />
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The page is built into the Python package; `.gitkeep` there comes from `public/`, since the folder is emptied.
const server = process.env.REFDESK_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: '../src/refdesk/server/static',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // Everything a first visit needs anyway lies in two long-lived files; the rest follows the routes.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 20 },
            {
              name: 'markdown',
              test: /node_modules[\\/](react-markdown|remark|rehype|micromark|mdast|hast|unist|unified|vfile|remend|property-information)/,
              priority: 15,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/v1': server, '/healthz': server, '/readyz': server },
  },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
