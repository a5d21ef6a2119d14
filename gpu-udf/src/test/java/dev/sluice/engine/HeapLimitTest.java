package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import org.junit.jupiter.api.Test;

class HeapLimitTest {
    @Test
    void whatTheHeapDoesNotHoldIsRefusedLikeWhatPassesTheBudget() {
        MemoryBudgetException refused =
                assertThrows(
                        MemoryBudgetException.class,
                        () ->
                                Compiler.withinHeap(
                                        // No virtual machine has an array of that length.
                                        Algorithm.of("bitvector"),
                                        () -> new long[Integer.MAX_VALUE]));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.startsWith("algorithm bitvector needs more memory"), message);
        assertTrue(message.contains("-Xmx"), message);
        assertEquals(Runtime.getRuntime().maxMemory(), refused.budgetBytes());
    }
}
