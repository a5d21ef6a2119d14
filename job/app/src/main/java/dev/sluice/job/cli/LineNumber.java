package dev.sluice.job.cli;

import dev.sluice.policy.questions.LintRule.Line;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of the numbers of rules' lines; 0: the default action of a list, which has none. */
final class LineNumber implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        if (text.equals(Line.DEFAULT) || text.equals("0")) {
            return 0;
        }
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new TypeConversionException(
                    "%s is no number of a line; write one as in 14, or default for the default action"
                            .formatted(text));
        }
        return Integer.valueOf(text);
    }
}
