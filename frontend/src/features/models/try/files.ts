/** A file's bytes as base64, as the server takes them within JSON. */
export async function toBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // In pieces: a call with a million arguments is refused.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

/** Pictures and recordings that the server takes, by its own limits. */
export const maxPictureBytes = 20 * 1024 * 1024;
export const maxRecordingBytes = 25 * 1024 * 1024;
export const pictureTypes = 'image/png,image/jpeg,image/gif,image/webp';
