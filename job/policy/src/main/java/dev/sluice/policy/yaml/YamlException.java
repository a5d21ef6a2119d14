package dev.sluice.policy.yaml;

import dev.sluice.policy.RuleSyntaxException;

/** Defect in a YAML text, at a line of a file. */
public final class YamlException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String file;
    private final int line;
    private final RuleSyntaxException defect;

    YamlException(String file, int line, RuleSyntaxException defect) {
        super(defect.getMessage(), defect);
        this.file = file;
        this.line = line;
        this.defect = defect;
    }

    /** The file. */
    public String file() {
        return file;
    }

    /** The line, 1-based. */
    public int line() {
        return line;
    }

    /** The defect in that line. */
    public RuleSyntaxException defect() {
        return defect;
    }
}
