/** What is known of a document and how it is used: the report of reading it, its use in answers, its metadata. */
import { NumberInput, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getDocumentQueryKey } from '../../api/generated/@tanstack/react-query.gen';
import { updateDocument } from '../../api/generated/sdk.gen';
import type { DocumentUpdate, DocumentView } from '../../api/generated/types.gen';
import { useCaller } from '../../app/session';
import { useNotify } from '../../components/useNotify';
import { MetadataEditor } from './MetadataEditor';
import { ReadingReport } from './ReadingReport';

const handlings = ['optimize', 'directly_return'] as const;

export function DetailsPanel({ document }: { document: DocumentView }) {
  const { t } = useTranslation();
  const { mayWrite } = useCaller();
  const client = useQueryClient();
  const { failed } = useNotify();
  const path = { document_id: document.id };
  const keep = (view: DocumentView) => client.setQueryData(getDocumentQueryKey({ path }), view);
  const change = useMutation({
    mutationFn: async (body: DocumentUpdate) =>
      (await updateDocument({ path, body, throwOnError: true })).data,
    onSuccess: keep,
    onError: failed,
  });
  return (
    <Stack gap="xl">
      <section>
        <Title order={3} size="h6" mb="xs">
          {t('details.report')}
        </Title>
        <ReadingReport document={document} />
      </section>
      <section>
        <Title order={3} size="h6" mb="xs">
          {t('details.use')}
        </Title>
        <Stack gap="sm">
          <Switch
            label={t('details.active')}
            description={t('details.activeHint')}
            checked={document.is_active}
            disabled={!mayWrite}
            onChange={(event) => change.mutate({ is_active: event.currentTarget.checked })}
          />
          <Select
            label={t('details.handling')}
            description={t(`details.handlingHint.${document.hit_handling}`)}
            value={document.hit_handling}
            disabled={!mayWrite}
            onChange={(value) => {
              const handling = handlings.find((one) => one === value);
              if (handling) change.mutate({ hit_handling: handling });
            }}
            data={handlings.map((value) => ({ value, label: t(`details.handlings.${value}`) }))}
          />
          {document.hit_handling === 'directly_return' && (
            <NumberInput
              label={t('details.directFrom')}
              description={t('details.directFromHint')}
              min={0}
              max={1}
              step={0.01}
              decimalScale={2}
              disabled={!mayWrite}
              defaultValue={document.direct_return_similarity}
              onBlur={(event) => {
                const text = event.currentTarget.value;
                const value = Number(text);
                // An emptied field is no 0, which would return everything.
                if (text.trim() && !Number.isNaN(value) && value !== document.direct_return_similarity)
                  change.mutate({ direct_return_similarity: value });
              }}
            />
          )}
        </Stack>
      </section>
      <section>
        <Title order={3} size="h6" mb={4}>
          {t('details.metadata')}
        </Title>
        <Text size="xs" c="dimmed" mb="sm">
          {t('details.metadataText')}
        </Text>
        {/* Made anew for other metadata only: what is being typed outlives every other change. */}
        <MetadataEditor key={JSON.stringify([document.found_meta, document.meta])} document={document} />
      </section>
    </Stack>
  );
}
