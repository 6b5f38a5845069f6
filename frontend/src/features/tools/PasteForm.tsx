/** Adding servers from the JSON that their makers give: what became of each is told. */
import { Button, Group, List, Stack, Textarea, ThemeIcon } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkToolServer, pasteToolServers } from '../../api/generated/sdk.gen';
import { Dialog } from '../../components/Dialog';
import { Problem } from '../../components/Problem';
import { ToldFault } from '../../components/ToldFault';
import classes from './Tools.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  onDone: () => unknown;
}

const example =
  '{\n  "mcpServers": {\n    "orders": {\n      "url": "https://example.com/mcp"\n    }\n  }\n}';

export function PasteForm(props: Props) {
  const { t } = useTranslation();
  return (
    <Dialog opened={props.opened} onClose={props.onClose} size="lg" title={t('tools.paste.title')}>
      {props.opened && <Form {...props} />}
    </Dialog>
  );
}

function Form({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const add = useMutation({
    mutationFn: async () => (await pasteToolServers({ body: { text }, throwOnError: true })).data.items,
    onSuccess: async (items) => {
      await onDone();
      const added = items.flatMap((item) => (item.server?.is_active ? [item.server.id] : []));
      // How each test went stands in the list; the servers are saved either way.
      await Promise.all(added.map((id) => checkToolServer({ path: { server_id: id } })));
      await onDone();
      if (items.every((item) => item.server)) onClose();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <Textarea
          label={t('tools.paste.label')}
          description={t('tools.paste.hint')}
          placeholder={example}
          autosize
          minRows={8}
          maxRows={20}
          data-autofocus
          spellCheck={false}
          classNames={{ input: classes.code }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {add.error && <Problem error={add.error} />}
        <div aria-live="polite">
          {add.data && (
            <List spacing="xs" size="sm" listStyleType="none">
              {add.data.map((item) => (
                <List.Item
                  key={item.name}
                  icon={
                    <ThemeIcon size={20} radius="xl" variant="light" color={item.server ? 'green' : 'red'}>
                      {item.server ? <IconCheck size={13} /> : <IconX size={13} />}
                    </ThemeIcon>
                  }
                >
                  <b>{item.name}</b> · {item.server ? t('tools.paste.done') : t('tools.paste.failed')}
                  {item.code && <ToldFault code={item.code} message={item.message} />}
                </List.Item>
              ))}
            </List>
          )}
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common.close')}
          </Button>
          <Button type="submit" loading={add.isPending} disabled={!text.trim()}>
            {t('tools.paste.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
