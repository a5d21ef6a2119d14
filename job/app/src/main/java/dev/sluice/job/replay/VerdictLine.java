package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.EscapedText;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.operators.connections.ConnectionTracker;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import org.jspecify.annotations.Nullable;

/**
 * Lines of a verdict file.
 *
 * <pre>
 * capture TAB packet TAB time_ns TAB rule TAB priority TAB action TAB version TAB status
 * </pre>
 *
 * <p>Of a policy of several stages a cell {@code earlier} follows: the lines of the rules that let
 * the packet pass in the stages before, with commas. Of each policy {@code outcome} and {@code
 * assumed} follow: the packet's fate, and the assumption under which the policy judges. A cell
 * without a value is empty; the state of the packet's connection, if it was tracked, and fields of
 * the packet may follow.
 */
public final class VerdictLine {
    private static final String COLUMNS =
            "capture\tpacket\ttime_ns\trule\tpriority\taction\tversion\tstatus";

    /**
     * Title of the states of connections, behind the columns of a policy whose packets have one.
     */
    public static final String STATE = "\tstate";

    private VerdictLine() {}

    /**
     * Returns the header line, without the fields of packets that may follow.
     *
     * @param policy whether the rules are a policy
     * @param stages whether they are one of several stages
     */
    public static String columns(boolean policy, boolean stages) {
        return COLUMNS + (stages ? "\tearlier" : "") + (policy ? "\toutcome\tassumed" : "");
    }

    /** Returns the name of the column of a field. */
    public static String name(PacketField field) {
        return field.label().replace('-', '_');
    }

    /**
     * Appends the packet's capture, number and time, each followed by a tab.
     *
     * @param capture a {@link EscapedText#cell} as UTF-8
     * @param timeLow low 64 bits of its time in ns
     * @param timeHigh the 32 bits above them
     */
    public static void packet(
            LineBytes line, byte[] capture, long number, long timeLow, int timeHigh) {
        line.append(capture).append('\t').append(number).append('\t');
        if (timeLow > 0 && timeHigh == 0) {
            line.append(timeLow); // the usual case; other times are as in a table of headers
        } else {
            StringBuilder time = new StringBuilder();
            HeaderTable.time(time, timeLow, timeHigh);
            line.append(time);
        }
        line.append('\t');
    }

    /**
     * Appends the verdict.
     *
     * @param rule the rule that matched; null: none did
     * @param version version of the rules; null: none was in force
     */
    public static void verdict(
            LineBytes line,
            @Nullable Rule rule,
            String defaultAction,
            @Nullable Long version,
            VerdictStatus status) {
        if (rule == null) {
            line.append("\t\t").append(EscapedText.cell(defaultAction));
        } else {
            line.append(rule.line()).append('\t').append(rule.priority()).append('\t');
            line.append(EscapedText.cell(rule.action()));
        }
        line.append('\t');
        if (version != null) {
            line.append(version.longValue());
        }
        line.append('\t').append(status.label());
    }

    /**
     * Appends a rule that let the packet pass in a stage before.
     *
     * @param stage from 0
     */
    public static void earlier(LineBytes line, int stage, Rule rule) {
        if (stage > 0) {
            line.append(',');
        }
        line.append(rule.line());
    }

    /**
     * Appends a policy's answer.
     *
     * @param outcome NONE: of a packet that could not be classified
     */
    public static void answer(LineBytes line, VerdictOutcome outcome, String assumed) {
        line.append('\t').append(outcome.label()).append('\t');
        line.append(outcome == VerdictOutcome.NONE ? "" : EscapedText.cell(assumed));
    }

    /** Returns the cell of a connection's state, as {@link ConnectionTracker} tells it. */
    public static String state(int state) {
        if (state == ConnectionTracker.UNKNOWN) {
            return "unknown";
        }
        if ((state & ConnectionTracker.TRACKED) == 0) {
            return "untracked";
        }
        return (state & ConnectionTracker.ESTABLISHED) != 0
                ? "established"
                : (state & ConnectionTracker.NEW) != 0
                        ? "new"
                        : (state & ConnectionTracker.RELATED) != 0 ? "related" : "invalid";
    }

    /** Appends the reason why a packet could not be classified. */
    public static void deadLetter(LineBytes line, String reason) {
        line.append("\t\t\t\tdead-letter: ").append(EscapedText.cell(reason));
    }
}
