package dev.sluice.policy.yaml;

import dev.sluice.policy.RuleSyntaxException;

/** Place of a YAML node: 1-based line and column of a file. */
public record YamlPosition(String file, int line, int column) {
    /** The refusal of words that stand here. */
    public YamlException refused(String words, String problem) {
        return refused(new RuleSyntaxException(column, words, problem));
    }

    /** The refusal for a defect of this line. */
    public YamlException refused(RuleSyntaxException defect) {
        return new YamlException(file, line, defect);
    }
}
