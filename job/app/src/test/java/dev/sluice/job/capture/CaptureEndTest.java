package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The line about later fragments blames the table's bound only as far as it is known. */
class CaptureEndTest {
    private static Optional<String> line(long lone, long evicted) {
        return new CaptureEnd(CaptureEnd.Kind.EOF, 0, "", 9, lone, evicted)
                .describeLone("day.pcap");
    }

    @Test
    void fragmentsWithoutTheirFirstOneAreToldWithTheDisplacedOnes() {
        String one = "day.pcap: 1 later fragment without the first one of the datagram before it";
        assertEquals(Optional.of(one), line(1, 0));
        assertEquals(
                Optional.of(
                        one
                                + "; it may be one of the 1,000 that newer ones displaced from the table of 16,384"),
                line(1, 1000));
        assertEquals(Optional.empty(), line(0, 1000));
    }
}
