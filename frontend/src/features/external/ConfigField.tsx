/** One setting of a source, with what it means below it. */
import { Input, NumberInput, SegmentedControl, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './External.module.css';
import type { FormInputs } from './formValues';
import type { Field } from './kinds';

interface Props {
  field: Field;
  form: FormInputs;
}

export function ConfigField({ field, form }: Props) {
  const { t } = useTranslation();
  const label = t(`external.fields.${field.name}`);
  const shared = {
    label,
    description: t(`external.hints.${field.name}`),
    placeholder: field.example,
    required: field.required,
    ...form.getInputProps(`config.${field.name}`),
  };
  if (field.type === 'number') {
    return <NumberInput min={1} max={65_535} allowDecimal={false} thousandSeparator="" {...shared} />;
  }
  if (field.type === 'list') return <TagsInput maxTags={32} acceptValueOnBlur {...shared} />;
  if (field.type === 'json') {
    return (
      <Textarea
        autosize
        minRows={2}
        maxRows={10}
        classNames={{ input: classes.json }}
        spellCheck={false}
        {...shared}
      />
    );
  }
  if (field.type === 'switch') {
    const { label, description } = shared;
    const input = form.getInputProps(`config.${field.name}`, { type: 'checkbox' });
    return <Switch label={label} description={description} {...input} />;
  }
  if (field.type === 'method') {
    return (
      <Input.Wrapper label={label} labelElement="div">
        <div>
          <SegmentedControl
            aria-label={label}
            data={['POST', 'GET']}
            {...form.getInputProps(`config.${field.name}`)}
          />
        </div>
      </Input.Wrapper>
    );
  }
  return <TextInput inputMode={field.type === 'address' ? 'url' : undefined} maxLength={2000} {...shared} />;
}
