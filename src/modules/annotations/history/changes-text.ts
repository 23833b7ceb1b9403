import { CHANGES } from './changes-query.js';
import { OBJECT_KINDS } from './saving.js';

/** Writes the JSON of a comparison piece by piece, from the sorted lines of `changesQuery`. */
export class ChangesText {
  private section = -1;
  private comma = '';

  begin(revision: number, since: number | null): string {
    return `{"revision":${revision},"since":${since}`;
  }

  lines(lines: readonly string[]): string {
    let text = '';
    for (const line of lines) {
      const [change = '', kind = '', id = '', frame = '', jobId = '', fields = ''] = line.split('\t');
      text += this.enter(Number(change) * OBJECT_KINDS.length + Number(kind));
      const more = CHANGES[Number(change)] === 'updated' ? `,"fields":${fieldsText(fields)}` : '';
      text += `${this.comma}{"id":${id},"frame":${frame},"job_id":${jobId}${more}}`;
      this.comma = ',';
    }
    return text;
  }

  end(): string {
    return `${this.enter(CHANGES.length * OBJECT_KINDS.length - 1)}]}}`;
  }

  /** Closes the lists before a section and opens it, unless it is open. */
  private enter(section: number): string {
    let text = '';
    while (this.section < section) {
      this.section += 1;
      this.comma = '';
      const kind = this.section % OBJECT_KINDS.length;
      const closing = this.section === 0 ? ',' : kind === 0 ? ']},' : '],';
      const opening = kind === 0 ? `"${CHANGES[this.section / OBJECT_KINDS.length]}":{` : '';
      text += `${closing}${opening}"${OBJECT_KINDS[kind]}":[`;
    }
    return text;
  }
}

const fieldsText = (fields: string): string => JSON.stringify(fields === '' ? [] : fields.split(','));
