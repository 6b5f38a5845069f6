/** Where a model comes from: the vendors of the catalogue, to be searched, in three groups. */
import { Badge, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listModelPresetsOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { Preset } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { SearchField } from '../../components/SearchField';
import { Skeletons } from '../../components/Skeletons';
import type { Kind } from './kinds';
import { useVendorName } from './useVendorName';
import classes from './VendorPicker.module.css';

const groups = ['international', 'china', 'local'] as const;

interface Props {
  /** The kind that is looked for; vendors without it come last and are marked by what they have. */
  kind: Kind | null;
  onChoose: (vendor: Preset) => void;
}

export function VendorPicker({ kind, onChoose }: Props) {
  const { t } = useTranslation();
  const nameOf = useVendorName();
  const [words, setWords] = useState('');
  const vendors = useQuery(listModelPresetsOptions());
  const wanted = words.trim().toLowerCase();
  const found = (vendors.data?.items ?? []).filter(
    (one) =>
      (kind === null || one.kinds.includes(kind)) &&
      [one.id, one.names.en, one.names.zh].some((name) => name.toLowerCase().includes(wanted)),
  );
  if (vendors.isPending) return <Skeletons rows={6} height={52} />;
  if (vendors.error) return <Problem error={vendors.error} onRetry={vendors.refetch} />;
  return (
    <Stack gap="lg">
      <SearchField label={t('models.vendorSearch')} words={words} onWords={setWords} data-autofocus />
      {found.length === 0 && <Text c="dimmed">{t('models.vendorNone')}</Text>}
      {groups.map((group) => {
        const ofGroup = found.filter((one) => one.group === group);
        if (ofGroup.length === 0) return null;
        return (
          <section key={group} aria-labelledby={`vendors-${group}`}>
            <Title order={3} size="h6" id={`vendors-${group}`} mb={8}>
              {t(`models.groups.${group}`)}
            </Title>
            <ul className={classes.list}>
              {ofGroup.map((one) => (
                <li key={one.id}>
                  <UnstyledButton className={classes.vendor} onClick={() => onChoose(one)}>
                    <Text fw={600} size="sm">
                      {nameOf(one)}
                    </Text>
                    <Group gap={4} mt={4}>
                      {one.kinds.map((name) => (
                        <Badge key={name} size="xs" color="gray" variant="light">
                          {t(`models.kindShort.${name}`)}
                        </Badge>
                      ))}
                    </Group>
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </Stack>
  );
}
