package dev.sluice.job.watch;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * The REST interface of a Flink cluster, asked with a patience of seconds.
 *
 * <p>What it tells of a job and of its checkpoints is up to 3 s old: the JobManager keeps an answer
 * that long ({@code web.refresh-interval}), even beyond the job's end.
 */
public final class RestInterface {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int OK = 200;

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final String address;

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param body missing where it is no JSON
     */
    public record Answer(int status, JsonNode body) {}

    /**
     * Of a cluster.
     *
     * @param address as {@code http://HOST:PORT}; a path behind it stands in front of all that is
     *     asked for
     */
    public RestInterface(String address) {
        this.address = address;
    }

    /** Where it is. */
    public String address() {
        return address;
    }

    /** A request that may be completed; it asks for what lies there. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(PATIENCE);
    }

    /**
     * Sends a request.
     *
     * @throws IOException if nobody answers
     */
    public Answer send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(answer.statusCode(), read(answer.body()));
    }

    private JsonNode read(byte[] body) throws IOException {
        try {
            return json.readTree(body);
        } catch (JacksonException e) {
            return MissingNode.getInstance(); // a page for a person; the status says what it is
        }
    }

    /** What lies there; empty if nobody answers, with an error, or with what is no JSON. */
    public Optional<JsonNode> get(String path) throws InterruptedException {
        try {
            Answer answer = send(request(path).build());
            return answer.status() == OK && !answer.body().isMissingNode()
                    ? Optional.of(answer.body())
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // nobody answers, yet or any more
        }
    }
}
