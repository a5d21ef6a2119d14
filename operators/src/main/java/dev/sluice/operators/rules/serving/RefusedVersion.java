package dev.sluice.operators.rules.serving;

import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.DeadLetterReason;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A committed version of the rules that the engine cannot serve with the options that it has. It is
 * part of the history all the same: later deltas change it.
 *
 * <p>As a dead letter: reason {@link DeadLetterReason#RULES_NOT_SERVED}, detail {@code version V,
 * history H: WHY}, of which V is the version's number and H the history's id, empty where the
 * history has none.
 *
 * @param version number of the version
 * @param history id of its history
 * @param why what the engine said, its remedy included
 */
public record RefusedVersion(long version, String history, String why) {
    private static final String REASON = DeadLetterReason.RULES_NOT_SERVED.text();

    private static final Pattern DETAIL =
            Pattern.compile("version (-?\\d+), history ([^:]*): (.*)", Pattern.DOTALL);

    /** The dead letter that says it. */
    public DeadLetter toDeadLetter() {
        return new DeadLetter(
                REASON, "version %d, history %s: %s".formatted(version, history, why), null, null);
    }

    /** Version that a dead letter names, if it is one that cannot be served. */
    public static Optional<RefusedVersion> of(DeadLetter letter) {
        Matcher detail = DETAIL.matcher(letter.detail());
        return letter.reason().equals(REASON) && detail.matches()
                ? Optional.of(
                        new RefusedVersion(
                                Long.parseLong(detail.group(1)), detail.group(2), detail.group(3)))
                : Optional.empty();
    }
}
