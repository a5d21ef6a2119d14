package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Requests for a page whose numbers grow. */
class LivePageTest {
    private final AtomicInteger made = new AtomicInteger();
    private final LivePage page;

    LivePageTest() throws IOException {
        page =
                new LivePage(
                        () ->
                                new Page(
                                        "page " + made.incrementAndGet(),
                                        Map.of(),
                                        List.of(),
                                        List.of()));
    }

    private String ask(String path) throws IOException {
        return new String(page.at(path).bytes().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void requestsOfTwoSecondsShareOnePage() throws IOException {
        String whole = ask("");
        String data = ask("data");
        assertTrue(whole.contains("id=\"data\">" + data + "</script>"), whole);
        assertTrue(whole.contains("connect-src 'self'"), whole);
        assertTrue(whole.endsWith("</html>\n"), whole);
        assertEquals(whole, ask(""));
        assertEquals(1, made.get());
        assertNull(page.at("other"));
    }

    @Test
    void aLaterRequestHasNewerNumbers() throws IOException {
        String first = ask("data");
        while (ask("data").equals(first)) {
            Thread.onSpinWait();
        }
        assertEquals(2, made.get());
    }
}
