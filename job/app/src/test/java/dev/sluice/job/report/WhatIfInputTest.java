package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs of {@code whatif} without packets. */
class WhatIfInputTest {
    private static final Path SERVER_RULES = TestData.inCheckout("test-data/firewall/server.save");

    @TempDir Path folder;

    /** Before a broker is asked, which does not answer here. */
    @ParameterizedTest
    @CsvSource({
        "2026-11-22T15:00:00Z, 2026-11-22T14:00:00Z, is not after --from 2026-11-22T15:00:00Z",
        "2026-11-22T15:00:00Z, 2026-11-22T15:00:00Z, is not after --from 2026-11-22T15:00:00Z",
        "yesterday, 2026-11-22T15:00:00Z, --from yesterday is no place in a topic"
    })
    void timesThatLeaveNothingAreRefusedFirst(String from, String to, String why) {
        List<Object> words = new ArrayList<>(List.of("whatif", "--bootstrap", "localhost:1"));
        words.addAll(List.of("--rules", SERVER_RULES, "--rules", SERVER_RULES));
        words.addAll(List.of("--from", from, "--to", to));
        Sluice run = Sluice.run(words.toArray());
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().contains(why), run.err());
    }

    /** A capture without packets is answered: none changes. */
    @Test
    void emptyCaptureHasNoChange() throws IOException {
        Path capture = folder.resolve("empty.pcap");
        ByteBuffer header = ByteBuffer.allocate(24).putInt(0xa1b2c3d4).putInt(0x00020004);
        Files.write(capture, header.putInt(16, 65535).putInt(20, 1).array());
        Sluice run =
                Sluice.run("whatif", capture, "--rules", SERVER_RULES, "--rules", SERVER_RULES);
        assertEquals(0, run.status(), run.err());
        assertTrue(run.err().contains("0 of 0 packets of 0 connections"), run.err());
    }
}
