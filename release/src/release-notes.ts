/** Returns the section of a version from the text of CHANGELOG.md, without its heading. Throws if there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(
    (each) =>
      headingOf(each)
        .replace(/^\[?v?/, '')
        .split(/[\]\s]/)[0] === version,
  );
  const notes = section?.slice(headingOf(section).length).trim() ?? '';
  if (notes === '')
    throw new Error(`CHANGELOG.md has no notes for ${version}: rename the section Unreleased`);
  return `${notes}\n`;
}

const headingOf = (section: string) => section.split('\n')[0] ?? '';
