package dev.sluice.job.lab.gpu.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.JsonPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measured points in the forms that are written. */
class MeasurementTest {
    @TempDir Path folder;

    @Test
    void measurementsAreWrittenInThreeForms() throws IOException {
        Measurement all = new Measurement();
        all.add(
                new Measurement.Point(
                        "acl <1>",
                        924,
                        "rfc",
                        "classify_rfc",
                        "device",
                        65_536,
                        4000,
                        8000,
                        10,
                        120_000,
                        0.5,
                        900,
                        0));
        all.write(folder.resolve("out"), "a device");
        JsonNode json = new ObjectMapper().readTree(folder.resolve("out/gpu.json").toFile());
        assertEquals(4000, json.get(0).get("mpps").asInt());
        JsonPage.assertTells("gpu measure", all.points().get(0).json().toString());
        assertEquals(
                json.get(0), new ObjectMapper().readTree(all.points().get(0).json().toString()));
        List<String> csv = Files.readAllLines(folder.resolve("out/gpu.csv"));
        assertEquals(
                "acl <1>,924,rfc,classify_rfc,\"device\",65536,4000.0,8000.0,10.00,120000,2.00,0.500,900,0",
                csv.get(1));
        String html = Files.readString(folder.resolve("out/gpu.html"));
        assertTrue(html.contains("<td class=n>2.00<td"), html);
        assertTrue(html.contains("acl &lt;1&gt;"), html);
        assertTrue(html.contains("<circle"), html);
    }
}
