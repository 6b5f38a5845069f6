/** Each stage of an answer: on or off, with which model, and how long it may take. */
import { NumberInput, Select, Switch, Table, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listModelsOptions } from '../../api/generated/@tanstack/react-query.gen';
import { stageNames, stagesWithModel } from './pipelineValues';
import type { ApplicationValues } from './values';

export function StageTable({ form }: { form: UseFormReturnType<ApplicationValues> }) {
  const { t } = useTranslation();
  const models = useQuery(listModelsOptions({ query: { kind: 'LLM' } }));
  const choices = (models.data?.items ?? []).map((model) => ({ value: model.id, label: model.name }));
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('applications.pipeline.stages')}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {t('applications.pipeline.stagesHint')}
      </Text>
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('applications.pipeline.stage')}</Table.Th>
              <Table.Th>{t('applications.model')}</Table.Th>
              <Table.Th>{t('applications.pipeline.deadline')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {stageNames.map((name) => {
              const label = t(`stages.${name}`);
              return (
                <Table.Tr key={name}>
                  <Table.Td>
                    <Switch
                      label={label}
                      {...form.getInputProps(`pipeline.stages.${name}.on`, { type: 'checkbox' })}
                    />
                  </Table.Td>
                  <Table.Td>
                    {stagesWithModel.includes(name) && (
                      <Select
                        aria-label={`${label}: ${t('applications.model')}`}
                        placeholder={t('applications.pipeline.sameModel')}
                        clearable
                        clearButtonProps={{ 'aria-label': t('common.clear') }}
                        nothingFoundMessage={t('common.nothingFound')}
                        data={choices}
                        {...form.getInputProps(`pipeline.stages.${name}.model_id`)}
                      />
                    )}
                  </Table.Td>
                  <Table.Td>
                    <NumberInput
                      aria-label={`${label}: ${t('applications.pipeline.deadline')}`}
                      min={1}
                      max={600}
                      w={96}
                      {...form.getInputProps(`pipeline.stages.${name}.deadline_s`)}
                    />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  );
}
