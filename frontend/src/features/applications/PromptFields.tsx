/** The prompts of an application: templates by situation, with the exact messages a model would get beside them. */
import { Alert, Badge, Stack, Tabs, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PromptPreview } from './PromptPreview';
import classes from './Prompts.module.css';
import { faultsOf, type Situation, situations } from './promptFaults';
import type { ApplicationValues } from './values';

interface Props {
  form: UseFormReturnType<ApplicationValues>;
  applicationId?: string;
}

const fieldOf = (situation: Situation) => (situation === 'knowledge' ? 'answer' : `prompts.${situation}`);
const templateOf = (values: ApplicationValues, situation: Situation) =>
  situation === 'knowledge' ? values.answer : values.prompts[situation];

export function PromptFields({ form, applicationId }: Props) {
  const { t } = useTranslation();
  const [situation, setSituation] = useState<Situation>('knowledge');
  const values = form.values;
  return (
    <div className={classes.editor}>
      <Stack>
        <Textarea
          label={t('applications.systemPrompt')}
          description={t('applications.promptHint')}
          autosize
          minRows={3}
          maxRows={20}
          {...form.getInputProps('system')}
        />
        <Tabs value={situation} onChange={(value) => value && setSituation(value as Situation)}>
          <Tabs.List aria-label={t('prompts.bySituation')}>
            {situations.map((name) => (
              <Tabs.Tab
                key={name}
                value={name}
                rightSection={
                  faultsOf(name, templateOf(values, name)).length > 0 ? (
                    <Badge color="red" size="xs" circle aria-label={t('prompts.faulty')}>
                      !
                    </Badge>
                  ) : null
                }
              >
                {t(`prompts.situations.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {situations.map((name) => (
            <Tabs.Panel key={name} value={name} pt="sm">
              <Textarea
                label={name === 'knowledge' ? t('applications.answerPrompt') : t('prompts.template')}
                description={
                  name === 'empty'
                    ? t('prompts.emptyHint', { question: '{question}' })
                    : t('applications.answerPromptHint', { data: '{data}', question: '{question}' })
                }
                autosize
                minRows={5}
                maxRows={20}
                {...form.getInputProps(fieldOf(name))}
                error={
                  faultsOf(name, templateOf(values, name)).length > 0 && (
                    <Faults situation={name} template={templateOf(values, name)} />
                  )
                }
              />
            </Tabs.Panel>
          ))}
        </Tabs>
        {values.answering === 'agent' && <Alert color="gray">{t('prompts.agentHint')}</Alert>}
      </Stack>
      <PromptPreview values={values} situation={situation} applicationId={applicationId} />
    </div>
  );
}

function Faults({ situation, template }: { situation: Situation; template: string }) {
  const { t } = useTranslation();
  return (
    <>
      {faultsOf(situation, template).map(({ code, variables }) => (
        <Text key={code} component="span" display="block" size="xs">
          {t(`prompts.${code}`, { variables: variables.map((name) => `{${name}}`).join(', ') })}
        </Text>
      ))}
    </>
  );
}
