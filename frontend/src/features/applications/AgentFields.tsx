/** What only an agent has: how often it may look, what it may spend, what else it may use. */
import { MultiSelect, NumberInput, Stack, Switch, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listSkillsOptions } from '../../api/generated/@tanstack/react-query.gen';
import type { ApplicationValues, DirectoryTool } from './values';

const DIRECTORY_TOOLS: DirectoryTool[] = [
  'list_files',
  'read_file',
  'write_file',
  'edit_file',
  'run_command',
];

export function AgentFields({ form }: { form: UseFormReturnType<ApplicationValues> }) {
  const { t } = useTranslation();
  const skills = useQuery(listSkillsOptions());
  return (
    <Stack>
      <NumberInput
        label={t('applications.agent.rounds')}
        description={t('applications.agent.roundsHint')}
        min={1}
        max={20}
        allowDecimal={false}
        {...form.getInputProps('agent.rounds')}
      />
      <NumberInput
        label={t('applications.agent.toolRounds')}
        description={t('applications.agent.toolRoundsHint')}
        min={0}
        max={50}
        allowDecimal={false}
        {...form.getInputProps('agent.tool_rounds')}
      />
      <NumberInput
        label={t('applications.agent.maxTokens')}
        description={t('applications.agent.maxTokensHint')}
        min={1000}
        max={10_000_000}
        step={1000}
        allowDecimal={false}
        thousandSeparator
        {...form.getInputProps('agent.max_tokens')}
      />
      <NumberInput
        label={t('applications.agent.maxCost')}
        description={t('applications.agent.maxCostHint')}
        min={0}
        decimalScale={4}
        {...form.getInputProps('agent.max_cost')}
      />
      <Textarea
        label={t('applications.agent.codeNames')}
        description={t('applications.agent.codeNamesHint')}
        autosize
        minRows={2}
        maxRows={12}
        {...form.getInputProps('agent.code_names')}
      />
      <MultiSelect
        label={t('applications.agent.skills')}
        description={t('applications.agent.skillsHint')}
        searchable
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        nothingFoundMessage={t('common.nothingFound')}
        data={(skills.data?.items ?? []).map((skill) => skill.name)}
        {...form.getInputProps('agent.skills')}
      />
      <Switch
        label={t('applications.agent.workingDirectory')}
        description={t('applications.agent.workingDirectoryHint')}
        {...form.getInputProps('agent.working_directory', { type: 'checkbox' })}
      />
      {form.values.agent.working_directory && (
        <MultiSelect
          label={t('applications.agent.askBefore')}
          data={DIRECTORY_TOOLS.map((tool) => ({
            value: tool,
            label: t(`applications.agent.tools.${tool}`),
          }))}
          {...form.getInputProps('agent.ask_before')}
        />
      )}
    </Stack>
  );
}
