package dev.sluice.lab.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ResultsTest {
    @Test
    void membersAreLinesAndArraysOfObjectsAreTables() throws IOException {
        ObjectNode record =
                (ObjectNode)
                        new ObjectMapper()
                                .readTree(
                                        """
                                        {"rules": "acl.rules", "mpps": 12.345678, "wrong": null,
                                         "seconds": [1, 2], "by": {"bench": 3}, "misses": ["one", "two"],
                                         "runs": [{"name": "a"}, {"name": "b", "ms": {"p50": 4}}]}
                                        """);
        StringWriter out = new StringWriter();
        Results.print(new PrintWriter(out), new JsonOption(), record);
        assertEquals(
                """
                rules     acl.rules
                mpps      12.346
                wrong
                by.bench  3

                misses
                  one
                  two

                runs
                  name  ms.p50
                  a
                  b     4
                """,
                out.toString().replaceAll("(?m) +$", ""));
    }
}
