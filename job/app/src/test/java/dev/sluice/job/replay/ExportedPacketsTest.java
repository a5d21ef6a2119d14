package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What an export says of itself when it fails. */
class ExportedPacketsTest {
    @Test
    void aFailedExportNamesWhatTheTopicsHold() {
        ExportedPackets exported = new ExportedPackets();
        exported.begin(Path.of("a.pcap"));
        exported.add();
        assertEquals("the topics now hold the first 1 packet of a.pcap", exported.describe(true));
        exported.add();
        exported.begin(Path.of("b.pcap"));
        exported.add();
        exported.begin(Path.of("c.pcap"));
        for (int i = 0; i < 3; i++) {
            exported.add();
        }
        assertEquals(6, exported.count());
        assertEquals(
                "the topics now hold 2 packets of a.pcap, 1 packet of b.pcap and at most 3 packets of c.pcap",
                exported.describe(false));
    }
}
