package dev.sluice.schemas.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** Seeds are fixed unless a run names another one, and a failure says which it was. */
class TestSeedTest {
    @Test
    void aSeedIsFixedNamedOrDrawn() {
        assertEquals(TestSeed.FIXED, TestSeed.parse(""));
        assertEquals(17, TestSeed.parse("17"));
        assertTrue(TestSeed.parse("random") > 0);
        String message =
                assertThrows(IllegalArgumentException.class, () -> TestSeed.parse("many"))
                        .getMessage();
        assertEquals("-Dsluice.test.seed=many: neither a whole number nor 'random'", message);
    }

    @Test
    void testsOfOneRunHaveSeedsOfTheirOwn() {
        assertEquals(5, TestSeed.of(TestSeed.FIXED, 5));
        assertNotEquals(TestSeed.of(17, 5), TestSeed.of(17, 6));
        assertNotEquals(TestSeed.of(17, 5), TestSeed.of(18, 5));
        assertEquals(TestSeed.of(17, 5), TestSeed.of(17, 5));
    }

    @Test
    void aFailureNamesItsSeed() {
        Throwable failure = SeedReport.noted(new AssertionFailedError("wrong"), 17);
        String note = String.valueOf(failure.getSuppressed()[0].getMessage());
        assertTrue(note.endsWith("seed 17; the same again: ./sluice test --seed 17"), note);
        assertEquals(
                0,
                SeedReport.noted(new TestAbortedException("no data"), 17).getSuppressed().length);
    }
}
