/** How a graph is built, what that costs, and the button that begins it. */
import { Button, Select, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { estimateGraphOptions, listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { buildGraph } from '../../api/generated/sdk.gen';
import type { GraphEstimate, GraphView } from '../../api/generated/types.gen';
import { Problem } from '../../components/Problem';
import { formatNumber } from '../../i18n/format';
import classes from './GraphTab.module.css';

const BY_RULES = 'rules';

interface Props {
  baseId: string;
  graph?: GraphView;
  onStarted: () => Promise<void>;
}

export function GraphBuildForm({ baseId, graph, onStarted }: Props) {
  const { t } = useTranslation();
  const path = { knowledge_base_id: baseId };
  const [reader, setReader] = useState(graph?.model_id ?? BY_RULES);
  const [follows, setFollows] = useState<boolean | null>(graph ? graph.follows : null);
  const models = useQuery(listModelsOptions({ query: { kind: 'LLM' } }));
  const chosen =
    reader === BY_RULES ? { method: 'rules' as const } : { method: 'model' as const, model_id: reader };
  const estimate = useQuery({ ...estimateGraphOptions({ path, query: chosen }), staleTime: 0 });
  const start = useMutation({
    mutationFn: () => buildGraph({ path, body: { ...chosen, follows }, throwOnError: true }),
    onSuccess: onStarted,
  });
  return (
    <Stack className={classes.form}>
      <Select
        label={t('graph.reader')}
        description={reader === BY_RULES ? t('graph.rulesHint') : t('graph.modelHint')}
        allowDeselect={false}
        data={[
          { value: BY_RULES, label: t('graph.byRules') },
          ...(models.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []),
        ]}
        value={reader}
        onChange={(value) => setReader(value ?? BY_RULES)}
      />
      <Switch
        label={t('graph.follows')}
        checked={follows ?? reader === BY_RULES}
        onChange={(event) => setFollows(event.currentTarget.checked)}
      />
      <div role="status">
        {estimate.data && (
          <Text size="sm">
            {useless(estimate.data) ? t('graph.nothingToRead') : <Cost of={estimate.data} />}
          </Text>
        )}
      </div>
      {estimate.error && <Problem error={estimate.error} onRetry={estimate.refetch} />}
      <Button onClick={() => start.mutate()} loading={start.isPending} disabled={!estimate.data}>
        {t('graph.build')}
      </Button>
      {start.error && <Problem error={start.error} />}
    </Stack>
  );
}

const useless = (estimate: GraphEstimate) => estimate.paragraphs === 0;

function Cost({ of }: { of: GraphEstimate }) {
  const { t } = useTranslation();
  const paragraphs = formatNumber(of.paragraphs);
  if (of.method === 'rules') return t('graph.costRules', { paragraphs });
  const tokens = { in: formatNumber(of.input_tokens), out: formatNumber(of.output_tokens) };
  const facts = { paragraphs, calls: formatNumber(of.calls), ...tokens };
  if (of.cost === null) return t('graph.costUnpriced', facts);
  return t('graph.costPriced', {
    ...facts,
    amount: formatNumber(Number(Number(of.cost).toPrecision(3))),
    currency: of.currency ?? '',
  });
}
