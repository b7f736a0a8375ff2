// Resolves texts with an exported model through TensorFlow's C API, without Python and without
// this project.
//
//     resolve MODEL FILE ...
//
// MODEL is the folder of a portable version, such as models/coref/1. The output has a line for each
// mention: file, cluster, first and last word, begin and end character (exclusive), mention score,
// probability, text.

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

enum { kCluster, kStart, kEnd, kBegin, kBehind, kScore, kProbability, kText, kNumOutputs };

static const char* const kOutputs[kNumOutputs] = {
    "mention_clusters", "mention_starts", "mention_ends",           "mention_begin_char",
    "mention_end_char", "mention_scores", "antecedent_probability", "mention_text"};

static void Fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("error: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

static void Check(const TF_Status* status, const char* what) {
  if (TF_GetCode(status) != TF_OK) Fail("%s: %s", what, TF_Message(status));
}

// --- Reading the tensors of a signature from the MetaGraphDef, a protocol buffer ---

typedef struct {
  const uint8_t* data;
  size_t size;
} Bytes;

static uint64_t ReadVarint(Bytes* rest) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && rest->size > 0; shift += 7) {
    const uint8_t byte = *rest->data;
    rest->data++, rest->size--;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  Fail("the model's signatures can't be read");
  return 0;
}

static Bytes ReadBytes(Bytes* rest, uint64_t size) {
  if (size > rest->size) Fail("the model's signatures can't be read");
  const Bytes bytes = {rest->data, size};
  rest->data += size, rest->size -= size;
  return bytes;
}

// Returns the number of a message's next field, and its content if it is a string or a message.
static uint64_t NextField(Bytes* rest, Bytes* content) {
  const uint64_t tag = ReadVarint(rest);
  *content = (Bytes){NULL, 0};
  switch (tag & 7) {
    case 0:
      ReadVarint(rest);
      break;
    case 1:
      ReadBytes(rest, 8);
      break;
    case 2:
      *content = ReadBytes(rest, ReadVarint(rest));
      break;
    case 5:
      ReadBytes(rest, 4);
      break;
    default:
      Fail("the model's signatures can't be read");
  }
  return tag >> 3;
}

static Bytes Field(Bytes message, uint64_t number) {
  Bytes content;
  while (message.size > 0) {
    if (NextField(&message, &content) == number) return content;
  }
  return (Bytes){NULL, 0};
}

// Returns the value for a key of a map, which is the field `number` of a message.
static Bytes MapValue(Bytes message, uint64_t number, const char* key) {
  Bytes entry;
  while (message.size > 0) {
    if (NextField(&message, &entry) != number) continue;
    const Bytes name = Field(entry, 1);
    if (name.size == strlen(key) && memcmp(name.data, key, name.size) == 0) return Field(entry, 2);
  }
  Fail("the model has no %s", key);
  return message;
}

// Returns the tensor of a TensorInfo, whose field 1 is "operation:output".
static TF_Output FindTensor(TF_Graph* graph, Bytes tensor_info) {
  const Bytes name = Field(tensor_info, 1);
  char operation[512];
  if (name.size >= sizeof operation) Fail("a tensor's name is too long");
  memcpy(operation, name.data, name.size);
  operation[name.size] = '\0';
  char* colon = strrchr(operation, ':');
  const int index = colon ? atoi(colon + 1) : 0;
  if (colon) *colon = '\0';
  const TF_Output tensor = {TF_GraphOperationByName(graph, operation), index};
  if (!tensor.oper) Fail("the model's graph has no %s", operation);
  return tensor;
}

// --- Running the model ---

typedef struct {
  TF_Session* session;
  TF_Output text;
  TF_Output outputs[kNumOutputs];
} Model;

static Model Load(const char* folder, TF_Graph* graph, TF_Status* status) {
  Model model;
  TF_SessionOptions* options = TF_NewSessionOptions();
  TF_Buffer* meta_graph = TF_NewBuffer();
  const char* const tag = "serve";
  model.session =
      TF_LoadSessionFromSavedModel(options, NULL, folder, &tag, 1, graph, meta_graph, status);
  Check(status, folder);
  // MetaGraphDef.signature_def is field 5; SignatureDef.inputs and .outputs are fields 1 and 2. All
  // three are maps.
  const Bytes message = {meta_graph->data, meta_graph->length};
  const Bytes signature = MapValue(message, 5, "text");
  model.text = FindTensor(graph, MapValue(signature, 1, "text"));
  for (int i = 0; i < kNumOutputs; i++) {
    model.outputs[i] = FindTensor(graph, MapValue(signature, 2, kOutputs[i]));
  }
  TF_DeleteBuffer(meta_graph);
  TF_DeleteSessionOptions(options);
  return model;
}

// Prints the last column, with spaces for characters that would end the line or the column.
static void PrintInLine(const char* text, size_t size) {
  putchar('\t');
  for (size_t i = 0; i < size; i++) {
    const unsigned char byte = text[i];
    putchar(byte >= '\t' && byte <= '\r' ? ' ' : byte);
  }
  putchar('\n');
}

static void Resolve(const Model* model, const char* name, const char* content, size_t size,
                    TF_Status* status) {
  TF_Tensor* text = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
  TF_TString* string = TF_TensorData(text);
  TF_StringInit(string);
  TF_StringCopy(string, content, size);
  TF_Tensor* results[kNumOutputs] = {NULL};
  TF_SessionRun(model->session, NULL, &model->text, &text, 1, model->outputs, results, kNumOutputs,
                NULL, 0, NULL, status);
  TF_StringDealloc(string);
  TF_DeleteTensor(text);
  Check(status, name);

  const int64_t count = TF_Dim(results[kText], 0);
  for (int64_t i = 0; i < count; i++) {
    printf("%s", name);
    for (int k = kCluster; k <= kBehind; k++) {
      printf("\t%" PRId32, ((const int32_t*)TF_TensorData(results[k]))[i]);
    }
    for (int k = kScore; k <= kProbability; k++) {
      printf("\t%.9g", ((const float*)TF_TensorData(results[k]))[i]);
    }
    const TF_TString* mention = (const TF_TString*)TF_TensorData(results[kText]) + i;
    PrintInLine(TF_StringGetDataPointer(mention), TF_StringGetSize(mention));
  }
  for (int k = 0; k < kNumOutputs; k++) TF_DeleteTensor(results[k]);
}

static char* ReadFile(const char* name, size_t* size) {
  FILE* file = fopen(name, "rb");
  if (!file) Fail("%s: can't be opened", name);
  char* content = NULL;
  *size = 0;
  size_t got;
  do {
    content = realloc(content, *size + 65536);
    if (!content) Fail("%s: too long", name);
    got = fread(content + *size, 1, 65536, file);
    *size += got;
  } while (got > 0);
  if (ferror(file)) Fail("%s: can't be read", name);
  fclose(file);
  return content;
}

int main(int argc, char** argv) {
  if (argc < 3) Fail("expected: resolve MODEL FILE ...");
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  const Model model = Load(argv[1], graph, status);
  for (int i = 2; i < argc; i++) {
    size_t size;
    char* content = ReadFile(argv[i], &size);
    Resolve(&model, argv[i], content, size, status);
    free(content);
  }
  TF_CloseSession(model.session, status);
  TF_DeleteSession(model.session, status);
  TF_DeleteGraph(graph);
  TF_DeleteStatus(status);
  return 0;
}
