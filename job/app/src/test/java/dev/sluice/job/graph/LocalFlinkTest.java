package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class LocalFlinkTest {
    @Test
    void aMachineThatDoesNotKnowItsOwnNameIsToldWhatToAdd() {
        Exception e =
                new IllegalStateException(
                        "could not start",
                        new UnknownHostException(
                                "box7: box7: Temporary failure in name resolution"));
        assertEquals(
                "this machine does not know its own name, box7; add the line '127.0.0.1 box7' to /etc/hosts",
                LocalFlink.reason(e));
        assertEquals("no", LocalFlink.reason(new IllegalStateException(new Exception("no"))));
    }
}
