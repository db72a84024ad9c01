# Reads bodies with rack, see peers.py.
require "base64"
require "json"
require "rack"
require "stringio"

STDIN.each_line do |line|
  type, body = line.split(" ").first(2).map { |text| Base64.decode64(text) }
  answer =
    begin
      read = Rack::Multipart::Parser.parse(
        StringIO.new(body), body.bytesize, type, Rack::Multipart::Parser::TEMPFILE_FACTORY, 1 << 20,
        Rack::Utils.default_query_parser)
      parts = (read.params || {}).map do |name, value|
        file = value.is_a?(Hash)
        data = file ? value[:tempfile].read : value
        { name: name, filename: file ? value[:filename] : nil, data: Base64.strict_encode64(data.to_s) }
      end
      read.tmp_files.each(&:close!)
      { parts: parts }
    rescue StandardError => error
      { error: error.class.name }
    end
  puts JSON.generate(answer)
  STDOUT.flush
end
