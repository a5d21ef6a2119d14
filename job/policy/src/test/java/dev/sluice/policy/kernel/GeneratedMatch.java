package dev.sluice.policy.kernel;

/**
 * Match of a generated rule.
 *
 * @param negated whether {@code !} stands before the option
 * @param module the module of {@code -m}, empty for options that need none
 * @param option the option and its value, without {@code !}
 * @param inner what the option asks
 * @param gate what must hold, negated or not, such as that the packet is no later fragment
 */
record GeneratedMatch(
        MatchKind kind,
        boolean negated,
        String module,
        String option,
        Formula inner,
        Formula gate) {

    /** Returns what the kernel should ask of a packet. */
    Formula formula() {
        return Formula.all(gate, negated ? inner.not() : inner);
    }

    String text() {
        return (negated ? "! " : "") + option;
    }

    GeneratedMatch negated(boolean now) {
        return new GeneratedMatch(kind, now, module, option, inner, gate);
    }

    @Override
    public String toString() {
        return (negated ? "! " : "") + kind;
    }
}
