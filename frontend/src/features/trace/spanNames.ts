/** What a span is called without the kind that the server writes before it. */
export const bareName = (name: string) => name.replace(/^(tool|channel|search):/, '');
