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
 * Client of a Flink cluster's REST interface, with a time-out of 5 s.
 *
 * <p>Answers on a job and its checkpoints are up to 3 s old: the JobManager caches an answer that
 * long ({@code web.refresh-interval}), even beyond the job's end.
 */
public final class RestInterface {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int OK = 200;

    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final String address;

    /**
     * Answer to a request.
     *
     * @param status HTTP status
     * @param body JSON of the answer; a missing node where the body is no JSON
     */
    public record Answer(int status, JsonNode body) {}

    /**
     * Creates a client.
     *
     * @param address {@code http://HOST:PORT}, with an optional path that precedes the path of
     *     every request
     */
    public RestInterface(String address) {
        this.address = address;
    }

    /** Returns the address of the interface. */
    public String address() {
        return address;
    }

    /** Starts a request for a path; GET unless the caller sets another method. */
    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(PATIENCE);
    }

    /**
     * Sends a request.
     *
     * @throws IOException if the interface does not answer
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

    /** Gets the JSON of a path; a missing node where {@link #get} is empty. */
    public JsonNode read(String path) throws InterruptedException {
        return get(path).orElseGet(MissingNode::getInstance);
    }

    /** Gets the JSON of a path; empty if the interface does not answer with status 200 and JSON. */
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
