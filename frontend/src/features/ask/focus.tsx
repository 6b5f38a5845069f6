/** Which citation the reader is looking at: chips and evidence cards light each other up. */
import { createContext, type ReactNode, use, useMemo, useState } from 'react';

interface Focus {
  runId: string | null;
  n: number | null;
}

const FocusContext = createContext<Focus>({ runId: null, n: null });
const SetFocusContext = createContext<(focus: Focus) => void>(() => undefined);

export function FocusProvider({ children }: { children: ReactNode }) {
  const [focus, setFocus] = useState<Focus>({ runId: null, n: null });
  const stable = useMemo(() => setFocus, []);
  return (
    <SetFocusContext value={stable}>
      <FocusContext value={focus}>{children}</FocusContext>
    </SetFocusContext>
  );
}

export const useFocusedCitation = () => use(FocusContext);
export const useFocusCitation = () => use(SetFocusContext);
