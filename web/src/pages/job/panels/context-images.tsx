import { ActionIcon, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { explain } from '../../../app/problems';
import { Icon } from '../../../components/icons';
import type { NamedImage } from '../frames/chunk';
import { contextImages } from '../frames/read-media';
import classes from './context-images.module.css';
import { counted } from '../../../components/counted';

interface ContextImagesProps {
  readonly jobId: number;
  readonly frame: number;
  /** Number of context images. */
  readonly count: number;
  /** Whether the frame is a point cloud in four views. */
  readonly is3d: boolean;
}

/** Context images of the frame, such as those of other cameras. */
export function ContextImages({ jobId, frame, count, is3d }: ContextImagesProps): ReactNode {
  const [isOpen, setOpen] = useState(true);
  const [large, setLarge] = useState<string | null>(null);
  const { data, error } = useQuery({
    queryKey: ['context-images', jobId, frame],
    queryFn: ({ signal }) => contextImages(jobId, frame, signal),
    staleTime: Infinity,
    gcTime: 60_000,
    structuralSharing: false,
    enabled: isOpen,
  });
  const enlarged = data?.find(({ name }) => name === large);
  return (
    <section className={classes['box']} data-over={is3d ? 'perspective' : undefined} aria-label="Context images">
      <div className={classes['head']}>
        <Text size="xs" fw={600}>
          {counted(count, 'context image')}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label={isOpen ? 'Hide context images' : 'Show context images'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'eye' : 'eyeOff'} size={14} />
        </ActionIcon>
      </div>
      {isOpen && error !== null && (
        <Text size="xs" role="alert">
          {explain(error).text}
        </Text>
      )}
      {isOpen && (
        <ul className={classes['images']}>
          {data?.map((one) => (
            <li key={one.name}>
              <button
                type="button"
                className={classes['image']}
                aria-label={`Enlarge ${one.name}`}
                onClick={() => setLarge(one.name)}
              >
                <ContextImage one={one} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Modal opened={enlarged !== undefined} onClose={() => setLarge(null)} title={large ?? ''} size="90%" centered>
        <div className={classes['large']}>{enlarged !== undefined && <ContextImage one={enlarged} />}</div>
      </Modal>
    </section>
  );
}

function ContextImage({ one: { name, image } }: { readonly one: NamedImage }): ReactNode {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(image);
    setAddress(created);
    return () => URL.revokeObjectURL(created);
  }, [image]);
  return address === null ? null : <img src={address} alt={name} decoding="async" />;
}
