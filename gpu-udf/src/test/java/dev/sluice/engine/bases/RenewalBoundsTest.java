package dev.sluice.engine.bases;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RenewalBoundsTest {
    @Test
    void compilingRestsAsLongAsItWorksWhereCoresAreFew() {
        for (int cores = 1; cores <= 4; cores++) {
            assertEquals(300, RenewalBounds.restNanos(300, cores));
        }
        assertEquals(75, RenewalBounds.restNanos(300, 16));
    }

    @Test
    void aBaseStaysForSomeChangesOrAShareOfAllRules() {
        assertEquals(64, RenewalBounds.DEFAULTS.most(100));
        assertEquals(1_562, RenewalBounds.DEFAULTS.most(100_000));
    }
}
