package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Description of a failed export. */
class CaptureExportTest {
    @Test
    void aFailedExportNamesWhatTheTopicsHold() {
        ArrayNode sent = JsonNodeFactory.instance.arrayNode();
        assertEquals(
                "the topics now hold the first 1 packet of a.pcap",
                CaptureExport.describe(sent, 1, Path.of("a.pcap"), true));
        sent.addObject().put("capture", "a.pcap").put("packets", 2);
        sent.addObject().put("capture", "b.pcap").put("packets", 1);
        assertEquals(
                "the topics now hold 2 packets of a.pcap, 1 packet of b.pcap and at most 3 packets of c.pcap",
                CaptureExport.describe(sent, 3, Path.of("c.pcap"), false));
    }
}
