package dev.sluice.policy;

import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;

/** A format of rule files whose rules make policies: chains, connection states, stages. */
public interface PolicyFormat extends RuleFormat {
    /**
     * Reads a text to its end, and reports defects as {@link RuleFormat#read} does.
     *
     * @param skipUnsupported whether a rule that is not understood is kept as one that nobody knows
     *     of, with a warning
     * @return the policies that the text holds, by the name that a user asks for each
     */
    Map<String, Policy> policies(RuleReading in, boolean skipUnsupported) throws IOException;

    /** Returns whether the files of a folder make one policy, {@link RuleReading#nextFile}. */
    default boolean readsFolders() {
        return false;
    }

    /** Returns whether a file tells what a host does with packets of both IP versions. */
    default boolean tellsBothVersions() {
        return false;
    }

    /** Does not read rules that stand for themselves: {@link PolicyFile} does. */
    @Override
    default void read(RuleReading in) throws RuleSyntaxException {
        throw new RuleSyntaxException(
                1, title(), "is a policy, not a rule; name its file by --rules");
    }
}
