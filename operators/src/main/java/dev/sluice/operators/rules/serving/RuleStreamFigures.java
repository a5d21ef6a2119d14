package dev.sluice.operators.rules.serving;

import dev.sluice.engine.EngineFigures;

/**
 * Figures of a rule stream, at one moment.
 *
 * @param wanted newest version of the rules' content; -1 before the first
 * @param inForce newest version that can be served; -1 before the first
 * @param pending versions of the content after the one in force
 * @param refused versions that could not be served, so far
 * @param dropped transactions and messages that were malformed, so far
 * @param histories histories that took the place of another, so far
 * @param engine what the engine counts
 */
public record RuleStreamFigures(
        long wanted,
        long inForce,
        int pending,
        long refused,
        long dropped,
        int histories,
        EngineFigures engine) {
    /** Figures before the first rules. */
    public static final RuleStreamFigures NONE =
            new RuleStreamFigures(-1, -1, 0, 0, 0, 0, EngineFigures.NONE);

    /** These figures with what the engine counts now. */
    RuleStreamFigures with(EngineFigures now) {
        return new RuleStreamFigures(wanted, inForce, pending, refused, dropped, histories, now);
    }
}
