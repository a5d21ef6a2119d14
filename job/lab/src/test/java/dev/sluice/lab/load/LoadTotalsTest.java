package dev.sluice.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The line that a load ends with. */
class LoadTotalsTest {
    @Test
    void aLoadWithoutARateSaysItsOwn() {
        assertEquals(
                "loaded 3,000,000 headers in 750 blocks, 60.0 MB, in 2.00 s: 1,500,000 headers/s, 30.0 MB/s",
                new LoadTotals(3_000_000, 750, 60_000_000, 2_000_000_000L, 0, 0).describe());
    }

    @Test
    void aLoadByARateSaysWhetherItKeptIt() {
        assertEquals(
                "loaded 1 header in 1 block, 0.0 MB, in 1.00 s: 1 headers/s, 0.0 MB/s; on time by the set rate of 1 headers/s",
                new LoadTotals(1, 1, 30, 1_000_000_000L, 1, 0).describe());
        assertEquals(
                "loaded 900 headers in 9 blocks, 0.0 MB, in 1.00 s: 900 headers/s, 0.0 MB/s; 0.10 s (100 headers) behind the set rate of 1,000 headers/s",
                new LoadTotals(900, 9, 1_000, 1_000_000_000L, 1_000, 0).describe());
        assertEquals(
                "loaded 1,000 headers in 9 blocks, 0.0 MB, in 4.00 s: 250 headers/s, 0.0 MB/s; 3.00 s (3,000 headers) behind the set rate of 1,000 headers/s, 2.50 s of them given up",
                new LoadTotals(1_000, 9, 1_000, 4_000_000_000L, 1_000, 2_500_000_000L).describe());
    }
}
