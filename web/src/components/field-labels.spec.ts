import { describe, expect, it } from '@jest/globals';
import { withLabels } from './field-labels';

const BLANK = 'This field may not be blank.';

describe('withLabels', () => {
  it('names fields as the form does', () => {
    const fields = { slug: 'It is taken.', iou_threshold: 'It is too large.', unknown: 'It is wrong.' };
    const text = 'Slug: It is taken. Iou threshold: It is too large. Unknown: It is wrong.';
    const errors = [
      { label: 'Minimum overlap (IoU)', message: 'It is too large.' },
      { label: 'Short name', message: 'It is taken.' },
    ];
    expect(withLabels(text, fields, errors)).toBe(
      'Short name: It is taken. Minimum overlap (IoU): It is too large. Unknown: It is wrong.',
    );
  });

  it('names each of several fields with the same message once', () => {
    const errors = ['Name', 'Bucket'].map((label) => ({ label, message: BLANK }));
    const text = `Display name: ${BLANK} Resource: ${BLANK}`;
    expect(withLabels(text, { display_name: BLANK, resource: BLANK }, errors)).toBe(`Name: ${BLANK} Bucket: ${BLANK}`);
  });
});
