package dev.sluice.engine.image;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class MemoryBudgetExceptionTest {
    private static final Pattern HEAP = Pattern.compile("-Xmx(\\d+)g");

    @Test
    void theHeapThatARefusalNamesIsEnough() {
        for (long needed : new long[] {1 << 20, 1L << 30, 17L << 30}) {
            String text =
                    MemoryBudgetException.whileBuilding("rfc", needed, HeapBudget.bytes())
                            .getMessage();
            Matcher heap = HEAP.matcher(text);
            assertTrue(heap.find(), text);
            assertTrue((Long.parseLong(heap.group(1)) << 30) / 4 >= needed, text);
            assertTrue(needed < 1L << 30 || text.contains("--memory-budget"), text);
        }
    }

    @Test
    void aBudgetBelowTheHeapsIsRaisedByItsOption() {
        String text = MemoryBudgetException.whileBuilding("rfc", 1 << 20, 1 << 10).getMessage();
        assertTrue(text.contains("raise --memory-budget, or choose another algorithm"), text);
        assertFalse(text.contains("-Xmx"), text);
    }
}
