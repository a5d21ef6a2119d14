package dev.sluice.policy.junos;

import dev.sluice.policy.RuleSyntaxException;

/** Defect of a statement. */
final class JunosException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final RuleSyntaxException defect;

    JunosException(int line, RuleSyntaxException defect) {
        super(defect.getMessage(), defect);
        this.line = line;
        this.defect = defect;
    }

    int line() {
        return line;
    }

    RuleSyntaxException defect() {
        return defect;
    }
}
