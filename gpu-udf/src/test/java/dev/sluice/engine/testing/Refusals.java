package dev.sluice.engine.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.regex.Pattern;

/** What a refusal must look like. */
public final class Refusals {
    private static final Pattern REASONED =
            Pattern.compile(
                    "algorithm \\S+ cannot serve this rule set( \\(rule at line \\d+\\))?: .{8,};"
                            + " choose another algorithm, or auto");

    private Refusals() {}

    /**
     * Fails if a form refused rules that it must serve, or without a reason.
     *
     * @param refusal empty if it served them
     */
    public static void assertAllowed(Form form, RuleStory story, Optional<String> refusal) {
        if (refusal.isPresent()) {
            String reason = refusal.get();
            String told = form + " refused " + story + ": " + reason;
            assertTrue(form.mayRefuse(), told);
            assertTrue(reason.contains(form.choice().label()), told);
            assertTrue(
                    REASONED.matcher(reason).matches() || reason.contains("--memory-budget"), told);
        }
    }
}
