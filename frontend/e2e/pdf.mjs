/** A small PDF with a text layer, written by hand: pages of lines in Helvetica. */

const escaped = (text) => text.replace(/[\\()]/g, '\\$&');

function content(lines) {
  let y = 780;
  const shown = lines.map((line) => {
    const size = line.startsWith('# ') ? 18 : 11;
    y -= size * 1.6;
    return `BT /F1 ${size} Tf 60 ${y.toFixed(1)} Td (${escaped(line.replace(/^# /, ''))}) Tj ET`;
  });
  return shown.join('\n');
}

/** `pages` is a list of lists of lines; a line that begins with "# " is a heading. */
export function pdfOf(pages) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>'];
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((lines, index) => {
    const stream = content(lines);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + index * 2} 0 R ` +
        '/Resources << /Font << /F1 3 0 R >> >> >>',
    );
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
  });
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  file += offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

export const lampPages = [
  [
    '# Reading lamps in the library',
    'The reading room has forty desks. Each desk has one green lamp with a brass foot.',
    'Lamps are switched on at eight in the morning and off at ten in the evening.',
    'A reader may dim the lamp of a desk, but may not move it to another desk.',
  ],
  [
    '# Changing a bulb',
    'Bulbs of type QX-77 are kept in the drawer below the catalogue.',
    'A broken bulb is changed by the warden on duty within one hour.',
    'The old bulb goes into the red box, never into the paper bin.',
  ],
];
