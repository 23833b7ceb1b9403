import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { GuideText, guideKey, readGuide } from '../../../components/guide';
import { Loaded } from '../../../components/loaded';

/** The guides that were opened in this browser, as a JSON array of their ids. */
const KEY = 'guides read';

/** Opens the guide for annotators. It opens automatically when a user sees it for the first time. */
export function GuideButton({ id }: { readonly id: number }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [isNew, setNew] = useState(() => !guidesRead().includes(id));
  const guide = useQuery({
    queryKey: guideKey(id),
    queryFn: ({ signal }) => readGuide(id, signal),
    enabled: isOpen || isNew,
  });
  const open = useCallback((): void => {
    setOpen(true);
    setNew(false);
    localStorage.setItem(KEY, JSON.stringify([...new Set([...guidesRead(), id])]));
  }, [id]);
  const isWritten = guide.data !== undefined && guide.data.value.markdown.trim() !== '';
  useEffect(() => {
    if (isNew && isWritten) open();
  }, [isNew, isWritten, open]);
  return (
    <>
      <Button size="compact-sm" variant="default" style={{ flex: 'none' }} onClick={open}>
        Guide
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Guide"
        size="xl"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Loaded query={guide}>{({ value }) => <GuideText text={value.markdown} />}</Loaded>
      </Modal>
    </>
  );
}

const guidesRead = (): readonly number[] => JSON.parse(localStorage.getItem(KEY) ?? '[]') as number[];
